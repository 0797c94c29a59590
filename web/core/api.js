// Questions to the scheduler. Every answer is an object with `kind`:
//   "told"     data, text        the JSON that was asked for, and as it came
//   "untold"                     this scheduler does not have such an answer (404 of a whole view)
//   "absent"   text              what was asked for by name does not exist
//   "locked"   text              a token is needed, or asking from here is not allowed
//   "later"    text              nobody can say now: it does not lead, or is still reading the cluster
//   "lost"     text              no answer at all

const ROOT = new URL("api/v1/", document.baseURI);
const TOKEN = "muster-token";
const REFUSED = "the token was refused: it is not the one that the scheduler has been given";

// Asked for without being named by `tells` of /api/v1/state: what the first version of the API has.
const ALWAYS_TOLD = ["state", "queues", "jobs", "nodes", "decisions"];
let told = new Set(ALWAYS_TOLD);
let itsDialect = "volcano";

/** Whether the scheduler has this view. What it does not have is not asked for, so that nothing fails in the console. */
export const tells = (view) => told.has(view);

/** Whose objects the scheduler takes: "volcano" or "kai". */
export const dialect = () => itsDialect;

/** Takes in what the scheduler has; true when that is not what was known before. */
export function learn(state) {
  const before = told;
  itsDialect = state.dialect ?? itsDialect;
  told = new Set([...ALWAYS_TOLD, ...(state.tells ?? [])]);
  return [...told].join() !== [...before].join();
}

export function keepToken(token) {
  sessionStorage.setItem(TOKEN, token);
}

function headers() {
  const token = sessionStorage.getItem(TOKEN);
  return token ? { Authorization: `Bearer ${token}` } : {};
}

/** Asks for a path below /api/v1/; with a `body`, by POST. When nothing has changed the answer is the very one `before`. */
export async function ask(path, { signal, body, before } = {}) {
  const view = path.split(/[/?]/)[0];
  if (!tells(view)) return { kind: "untold" };
  const token = headers();
  const asked = body === undefined ? { headers: token } : { method: "POST", body, headers: { ...token, "Content-Type": "application/yaml" } };
  try {
    const answer = await fetch(new URL(path, ROOT), { ...asked, signal, cache: "no-cache" });
    if (answer.status === 401 && token.Authorization) return { kind: "locked", text: REFUSED, needsToken: true };
    return await understood(answer, path.includes("/"), before);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    return { kind: "lost", text: "the scheduler does not answer" };
  }
}

async function understood(answer, isNamed, before) {
  if (answer.ok) {
    const text = await answer.text();
    return before?.text === text && before.kind === "told" ? before : { kind: "told", text, data: JSON.parse(text) };
  }
  const text = await errorOf(answer);
  if (answer.status === 404 || answer.status === 405) return isNamed ? { kind: "absent", text } : { kind: "untold" };
  if (answer.status === 401 || answer.status === 403) return { kind: "locked", text, needsToken: answer.status === 401 };
  if (answer.status === 400) return { kind: "absent", text };
  return { kind: "later", text };
}

async function errorOf(answer) {
  try {
    return (await answer.json()).error;
  } catch {
    return `the scheduler answers ${answer.status}`;
  }
}

const SILENCE = 40000; // milliseconds: the scheduler sends a comment every fifteen seconds at least

/**
 * The stream of server-sent events, by fetch and not by EventSource, which cannot send a token. Ends when the server ends it, and fails
 * when nothing is heard for so long that the connection must be gone, though nobody has said so.
 */
export async function* events(signal, silence = SILENCE) {
  const end = new AbortController();
  let timer;
  const heard = () => {
    clearTimeout(timer);
    timer = setTimeout(() => end.abort(), silence);
  };
  heard();
  try {
    const answer = await fetch(new URL("events", ROOT), { headers: headers(), signal: AbortSignal.any([signal, end.signal]) });
    if (answer.ok) yield* messages(answer.body, heard);
  } finally {
    clearTimeout(timer);
    end.abort(); // who does not want to hear more holds no connection
  }
}

async function* messages(body, heard) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    heard();
    const whole = (rest + next.value).split("\n\n");
    rest = whole.pop();
    for (const message of whole) {
      const event = parsed(message);
      if (event) yield event;
    }
  }
}

/** One message of the stream; a comment, which keeps the connection alive, is none. */
function parsed(message) {
  const lines = message.split("\n").filter((line) => line.startsWith("data:"));
  return lines.length ? JSON.parse(lines.map((line) => line.slice(5)).join("\n")) : null;
}

/** The metrics of the same address as text; null where they are not served. */
export async function metrics(signal) {
  try {
    const answer = await fetch(new URL("metrics", document.baseURI), { headers: headers(), signal, cache: "no-cache" });
    return answer.ok ? await answer.text() : null;
  } catch (error) {
    if (error.name === "AbortError") throw error;
    return null;
  }
}
