const titles = ['name', 'title', 'subject', 'label', 'email', 'code', 'number'];

/** How a record is called where it is referred to: by a field that names such things, else by its first text, else by its id. */
export function recordTitle(record: unknown): string {
  const values = (record ?? {}) as Readonly<Record<string, unknown>>;
  const named = titles.map((name) => values[name]).find(isTitle);
  const text = named ?? Object.entries(values).find(([name, value]) => isOfField(name) && isTitle(value))?.[1];
  return String(text ?? values.id ?? '');
}

function isTitle(value: unknown): value is string | number {
  return (typeof value === 'string' && value !== '') || typeof value === 'number';
}

function isOfField(name: string): boolean {
  return name !== 'version' && name !== 'id' && !/_(id|at|by)$/.test(name);
}
