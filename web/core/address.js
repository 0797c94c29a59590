// Where one is: the part of the address after "#", as a path and a query. It needs nothing of the server, works below any prefix
// (kubectl proxy), and every page with its search can be sent to somebody else.

export function here() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  return { parts: partsOf(path), query: new URLSearchParams(query) };
}

function partsOf(path) {
  try {
    return path.split("/").filter(Boolean).map(decodeURIComponent);
  } catch {
    return [path]; // what nobody can decode is the name of no page
  }
}

/** What the API is asked for about one thing: viewOf("jobs", "research/train") → "jobs/research/train". */
export const viewOf = (view, name) => [view, ...name.split("/").map(encodeURIComponent)].join("/");

/** The address of a page: href("jobs", "research/train") → "#/jobs/research/train". */
export function href(page, name = "", query = {}) {
  const path = [page, ...name.split("/")].filter(Boolean).map(encodeURIComponent).join("/");
  const search = new URLSearchParams(Object.entries(query).filter(([, value]) => value)).toString();
  return `#/${path}${search ? `?${search}` : ""}`;
}

/** Writes a page's choices into the address without leaving the page. */
export function remember(changes) {
  const { parts, query } = here();
  for (const [key, value] of Object.entries(changes)) value ? query.set(key, value) : query.delete(key);
  const search = query.toString();
  history.replaceState(null, "", `#/${parts.map(encodeURIComponent).join("/")}${search ? `?${search}` : ""}`);
}
