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

/** Puts these children in the place of those that an element has. */
export function fill(element, ...children) {
  element.replaceChildren();
  append(element, children);
  return element;
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
