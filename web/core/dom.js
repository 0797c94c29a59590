// Elements from code. Text is always set as text: a name from the cluster can never become markup.

/**
 * Makes an element: h("a.job", {href: "#/jobs"}, "train", badge). Classes follow the tag; `on…` members are listeners, others are
 * attributes; an attribute that is null, undefined or false is left out, and so is such a child.
 */
export function h(tag, attributes = {}, ...children) {
  const [name, ...classes] = tag.split(".");
  const element = document.createElement(name);
  if (classes.length) element.className = classes.join(" ");
  for (const [key, value] of Object.entries(attributes)) setAttribute(element, key, value);
  append(element, children);
  return element;
}

/** Puts these children in the place of those that an element has. The keyboard stays where it is: see keepFocus. */
export function fill(element, ...children) {
  return keepFocus(element, () => {
    element.replaceChildren();
    append(element, children);
    return element;
  });
}

const FOCUSABLE = "a[href], button, input, select, textarea, [tabindex]";

/** What stays the same of an element that is made anew: where it leads, how it is called, or else what it says. */
const keyOf = (element) =>
  [element.localName, element.id || element.getAttribute("href") || element.getAttribute("aria-label") || element.textContent].join(" ");

/**
 * Draws in an element, and then gives the keyboard back to what had it there: to the same element or, when that was made anew, to the
 * one with its key. `draw` has to make its children itself where they are moved: an element that has left the page has lost the
 * keyboard already.
 */
export function keepFocus(element, draw) {
  const before = document.activeElement;
  if (!before || before === element || !element.contains(before)) return draw();
  const key = keyOf(before);
  const alike = () => [...element.querySelectorAll(FOCUSABLE)].filter((one) => keyOf(one) === key);
  const place = alike().indexOf(before);
  const { value, selectionStart: start, selectionEnd: end } = before;
  const drawn = draw();
  if (document.activeElement === before) return drawn;
  const found = alike();
  const after = before.isConnected ? before : (found[place] ?? found.at(-1));
  after?.focus({ preventScroll: true }); // whoever has scrolled on stays there
  if (after && typeof start === "number") {
    if (after !== before) after.value = value;
    after.setSelectionRange(start, end);
  }
  return drawn;
}

function setAttribute(element, key, value) {
  if (value === null || value === undefined || value === false) return;
  if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
  else element.setAttribute(key, value === true ? "" : value);
}

function append(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false) element.append(child);
  }
}

/** Styles by way of the object model, which the content security policy allows, unlike the attribute. */
export function styled(element, properties) {
  for (const [key, value] of Object.entries(properties)) element.style.setProperty(key, value);
  return element;
}
