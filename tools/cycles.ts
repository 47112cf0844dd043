/**
 * The groups of files that reach one another by their imports, each sorted by name; none where files can be read one
 * after the other. R. Tarjan, "Depth-first search and linear graph algorithms" (1972).
 */
export function cyclesOf(imports: ReadonlyMap<string, readonly string[]>): readonly (readonly string[])[] {
  const order = new Map<string, number>();
  const open: string[] = [];
  const cycles: (readonly string[])[] = [];
  /** The earliest file still open that `file` reaches, by its number. */
  const walk = (file: string): number => {
    const number = order.size;
    order.set(file, number);
    open.push(file);
    let earliest = number;
    for (const target of imports.get(file) ?? []) {
      if (!imports.has(target)) continue;
      const seen = order.get(target);
      if (seen === undefined) earliest = Math.min(earliest, walk(target));
      else if (open.includes(target)) earliest = Math.min(earliest, seen);
    }
    if (earliest < number) return earliest;
    const group = open.splice(open.indexOf(file));
    if (group.length > 1 || imports.get(file)?.includes(file) === true) cycles.push(group.sort());
    return earliest;
  };
  for (const file of imports.keys()) if (!order.has(file)) walk(file);
  return cycles;
}
