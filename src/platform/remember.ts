/**
 * A pure function of a text that remembers what it made of the last `limit` different ones. What it makes is handed out
 * again, so it must not be changed.
 */
export function remembering<V>(limit: number, make: (text: string) => V): (text: string) => V {
  const known = new Map<string, V>();
  return (text) => {
    let value = known.get(text);
    if (value === undefined && !known.has(text)) {
      value = make(text);
      if (known.size >= limit) known.delete(known.keys().next().value!);
      known.set(text, value);
    }
    return value as V;
  };
}
