// A field for the token that a scheduler wants.

import { h } from "../core/dom.js";

// Letters of other scripts, curly quotes and long dashes: a browser sends none of them in a header, and throws.
const UNSENDABLE = /[^\t\x20-\x7e\x80-\xff]/;

/** Why a text cannot be a token; "" when it can. */
export function faultOf(text) {
  if (!text) return "Type or paste the token.";
  if (!UNSENDABLE.test(text)) return "";
  return "This cannot be the token: it has characters that none can have, such as curly quotes or long dashes. Copy it once more.";
}

/** `use(token)` gets what can be one, without spaces around it. */
export function tokenForm(use) {
  const fault = h("p", { id: "token-fault", role: "status" });
  const field = h("input", {
    type: "password",
    autocomplete: "off",
    spellcheck: "false",
    "aria-label": "Token",
    "aria-describedby": "token-fault",
    placeholder: "token",
  });
  const submit = (event) => {
    event.preventDefault();
    const token = field.value.trim();
    fault.textContent = faultOf(token);
    field.setAttribute("aria-invalid", String(Boolean(fault.textContent)));
    if (fault.textContent) field.focus();
    else use(token);
  };
  return h("form.token", { onsubmit: submit, hidden: true }, field, h("button", { type: "submit" }, "Use it"), fault);
}
