import assert from "node:assert/strict";
import { test } from "node:test";

import { here, href, viewOf } from "../../../web/core/address.js";

const at = (hash) => {
  globalThis.location = { hash };
  return here();
};

test("an address is a path and a query", () => {
  const { parts, query } = at("#/jobs/research/a%20b?state=waiting");
  assert.deepEqual(parts, ["jobs", "research", "a b"]);
  assert.equal(query.get("state"), "waiting");
  assert.deepEqual(at("").parts, []);
  assert.deepEqual(at(href("jobs", "research/50%")).parts, ["jobs", "research", "50%"]);
});

test("what cannot be decoded is no page, and no error", () => {
  assert.deepEqual(at("#/%").parts, ["%"]);
  assert.deepEqual(at("#/jobs/a%zz").parts, ["jobs/a%zz"]);
});

test("names are encoded where the API is asked about them", () => {
  assert.equal(viewOf("jobs", "research/train"), "jobs/research/train");
  assert.equal(viewOf("jobs", "research/a?b#50%"), "jobs/research/a%3Fb%2350%25");
});
