/** A logic block of 256 KB. */
export function block(name: string, change = ''): unknown {
  const body = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`k${index}`, `${index}${change}`]));
  const step = (index: number) => ({ id: `s${index}`, type: 'http', method: 'POST', url: 'https://a.example/', body });
  return { name, steps: Array.from({ length: 95 }, (_, index) => step(index)), returns: returned(change) };
}

/** A list of which each element has moved. */
function returned(change: string): unknown {
  return Array.from({ length: 1000 }, (_, index) => (change === '' ? index : 1000 - index));
}
