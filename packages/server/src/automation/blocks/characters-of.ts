/** About how many characters a value has as JSON, and a character for each node. It stops to count above `max`. */
export function charactersOf(value: unknown, max: number): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 8;
  let sum = 2;
  for (const [name, member] of Object.entries(value)) {
    sum += name.length + 1 + charactersOf(member, max - sum);
    if (sum > max) break;
  }
  return sum;
}
