/** Things by a key, in the order in which keys first appear. (Map.groupBy is younger than browsers that people still have.) */
export function grouped(things, keyOf) {
  const groups = new Map();
  for (const thing of things) {
    const key = keyOf(thing);
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(thing);
  }
  return groups;
}
