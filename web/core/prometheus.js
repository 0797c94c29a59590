// Reads what the dashboard needs from the text that Prometheus reads.

/** The sum and the number of a histogram by the value of one label: Map of value → {sum, count}. */
export function histograms(text, family, label) {
  const out = new Map();
  const line = new RegExp(`^${family}_(sum|count)\\{[^}]*\\b${label}="((?:[^"\\\\]|\\\\.)*)"[^}]*\\} (\\S+)`, "gm");
  for (const [, member, value, number] of text.matchAll(line)) {
    if (!out.has(value)) out.set(value, { sum: 0, count: 0 });
    out.get(value)[member] += Number(number);
  }
  return out;
}
