// One binary with what an end-to-end test needs of Kubernetes: etcd, kube-apiserver, kube-controller-manager,
// kube-scheduler and kubectl. The first argument chooses; the rest are that program's own flags.
//
//	control-plane all --data-dir DIR -- APISERVER-FLAGS   etcd and kube-apiserver in one process
//	control-plane kube-controller-manager|kube-scheduler|kubectl FLAGS
//	control-plane post FLAGS                              many requests at once: see post.go
package main

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/embed"
	"k8s.io/component-base/cli"
	kubectl "k8s.io/kubectl/pkg/cmd"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllers "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"

	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
)

const etcdStartLimit = time.Minute

// The choices by name. Each component parses os.Args itself, so main drops the name before the run.
var programs = map[string]func() *cobra.Command{
	"kube-apiserver":          apiserver.NewAPIServerCommand,
	"kube-controller-manager": controllers.NewControllerManagerCommand,
	"kube-scheduler":          func() *cobra.Command { return scheduler.NewSchedulerCommand() },
	"kubectl":                 kubectl.NewDefaultKubectlCommand,
}

func main() {
	if len(os.Args) < 2 {
		fail("usage: control-plane all|kube-apiserver|kube-controller-manager|kube-scheduler|kubectl|post FLAGS")
	}
	name := os.Args[1]
	os.Args = append([]string{name}, os.Args[2:]...)
	switch name {
	case "post":
		post(os.Args[1:])
		return
	case "all":
		endpoint := startEtcd(takeDataDir())
		name = "kube-apiserver"
		os.Args = append(os.Args, "--etcd-servers="+endpoint)
	}
	program, known := programs[name]
	if !known {
		fail("no program " + name)
	}
	os.Exit(cli.Run(program()))
}

// takeDataDir removes "--data-dir DIR --" from the arguments: what follows belongs to the API server.
func takeDataDir() string {
	if len(os.Args) < 4 || os.Args[1] != "--data-dir" || os.Args[3] != "--" {
		fail("usage: control-plane all --data-dir DIR -- APISERVER-FLAGS")
	}
	dir := os.Args[2]
	os.Args = append([]string{"kube-apiserver"}, os.Args[4:]...)
	return dir
}

// startEtcd serves clients on a unix socket beside the data and returns its address. A test needs no durability
// against a power cut, so writes are not flushed to the disk one by one.
func startEtcd(dir string) string {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		fail(err.Error())
	}
	socket := filepath.Join(dir, "client.sock")
	os.Remove(socket) // left over after a kill
	client := url.URL{Scheme: "unix", Path: socket}
	peer := url.URL{Scheme: "http", Host: freeLoopbackAddress()}

	config := embed.NewConfig()
	config.Dir = filepath.Join(dir, "data")
	config.LogLevel = "error"
	config.UnsafeNoFsync = true
	config.ListenClientUrls = []url.URL{client}
	config.AdvertiseClientUrls = []url.URL{peer} // must be host:port; the only client knows the socket
	config.ListenPeerUrls, config.AdvertisePeerUrls = []url.URL{peer}, []url.URL{peer}
	config.InitialCluster = config.InitialClusterFromName(config.Name)

	etcd, err := embed.StartEtcd(config)
	if err != nil {
		fail("etcd: " + err.Error())
	}
	select {
	case <-etcd.Server.ReadyNotify():
	case <-time.After(etcdStartLimit):
		fail("etcd: not ready in time")
	}
	return client.String()
}

// freeLoopbackAddress asks the kernel for a port; with one member nobody ever connects to it.
func freeLoopbackAddress() string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fail(err.Error())
	}
	defer listener.Close()
	return listener.Addr().String()
}

func fail(reason string) {
	fmt.Fprintln(os.Stderr, "control-plane:", reason)
	os.Exit(1)
}
