import assert from "node:assert/strict";
import { test } from "node:test";

import { faultOf } from "../../../web/parts/token_form.js";

test("a token is what a header can carry", () => {
  for (const text of ["s3cret", "a b", "é", "ÿ"]) {
    assert.equal(faultOf(text), "", text);
    assert.doesNotThrow(() => new Headers({ Authorization: `Bearer ${text}` }));
  }
  for (const text of ["“s3cret”", "a—b", "Ā", "a\nb"]) {
    assert.match(faultOf(text), /cannot be the token/);
    assert.throws(() => new Headers({ Authorization: `Bearer ${text}` }), text);
  }
  assert.match(faultOf(""), /Type or paste/);
});
