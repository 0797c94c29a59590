package main

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"
	"time"
)

// A request as a line of standard input: where to, and what.
type request struct {
	Path string          `json:"path"`
	Body json.RawMessage `json:"body"`
}

// What is printed at the end: how fast it went and which answers came.
type report struct {
	Requests int            `json:"requests"`
	Seconds  float64        `json:"seconds"`
	Rate     float64        `json:"per_second"`
	Status   map[string]int `json:"status"`
	Refusals []string       `json:"refusals,omitempty"` // the first few bodies that were not a success
}

const refusalsKept = 5

// post sends every request of standard input over a fixed number of connections, as fast as they are answered. It reads
// all of them before the first is sent, so that the time is that of the server and the network alone.
func post(args []string) {
	flags := flag.NewFlagSet("post", flag.ExitOnError)
	server := flags.String("server", "", "https://HOST:PORT of the API server")
	authority := flags.String("certificate-authority", "", "file with its certificate")
	token := flags.String("token", "", "bearer token")
	connections := flags.Int("connections", 64, "how many at a time")
	flags.Parse(args)

	requests := readRequests(os.Stdin)
	client := newClient(*authority, *connections)
	queue := make(chan request)
	result := report{Requests: len(requests), Status: map[string]int{}}
	var guard sync.Mutex
	var workers sync.WaitGroup
	start := time.Now()
	for range *connections {
		workers.Go(func() {
			for next := range queue {
				status, body := send(client, *server, *token, next)
				guard.Lock()
				result.Status[status]++
				if body != "" && len(result.Refusals) < refusalsKept {
					result.Refusals = append(result.Refusals, body)
				}
				guard.Unlock()
			}
		})
	}
	for _, next := range requests {
		queue <- next
	}
	close(queue)
	workers.Wait()
	result.Seconds = time.Since(start).Seconds()
	result.Rate = float64(result.Requests) / result.Seconds
	json.NewEncoder(os.Stdout).Encode(result)
}

func readRequests(input io.Reader) []request {
	var requests []request
	decoder := json.NewDecoder(bufio.NewReaderSize(input, 1<<20))
	for {
		var next request
		if err := decoder.Decode(&next); err == io.EOF {
			return requests
		} else if err != nil {
			fail("post: request " + fmt.Sprint(len(requests)+1) + ": " + err.Error())
		}
		requests = append(requests, next)
	}
}

// newClient speaks HTTP/1.1: one request per connection at a time is what --connections means.
func newClient(authority string, connections int) *http.Client {
	pem, err := os.ReadFile(authority)
	if err != nil {
		fail("post: " + err.Error())
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(pem)
	transport := &http.Transport{
		TLSClientConfig:     &tls.Config{RootCAs: roots},
		MaxIdleConnsPerHost: connections,
		MaxConnsPerHost:     connections,
	}
	return &http.Client{Transport: transport, Timeout: time.Minute}
}

// send returns the status, and the answer's text when it is not a success.
func send(client *http.Client, server, token string, next request) (string, string) {
	message, err := http.NewRequest(http.MethodPost, server+next.Path, bytes.NewReader(next.Body))
	if err != nil {
		return "no request", err.Error()
	}
	message.Header.Set("Authorization", "Bearer "+token)
	message.Header.Set("Content-Type", "application/json")
	message.Header.Set("User-Agent", "muster-e2e")
	answer, err := client.Do(message)
	if err != nil {
		return "no answer", err.Error()
	}
	defer answer.Body.Close()
	body, _ := io.ReadAll(answer.Body)
	if answer.StatusCode < http.StatusMultipleChoices {
		return fmt.Sprint(answer.StatusCode), ""
	}
	return fmt.Sprint(answer.StatusCode), string(body)
}
