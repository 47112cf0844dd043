/** A change of configuration in lines for a person and as JSON. */
export interface PlannedItem {
  readonly kind: string;
  readonly name: string;
  readonly change: 'added' | 'modified' | 'removed';
  readonly summary: readonly string[];
  readonly losses: readonly string[];
}

const marks = { added: '+', modified: '~', removed: '-' } as const;

/** Each item, and below it the change in sentences; what is taken out is marked. */
export function planLines(items: readonly PlannedItem[]): readonly string[] {
  return items.flatMap(({ kind, name, change, summary, losses }) => [
    `${marks[change]} ${kind} ${name}`,
    ...summary.map((sentence) => `    ${losses.includes(sentence) ? '! ' : ''}${sentence}`),
  ]);
}

export function planJson(items: readonly PlannedItem[]): readonly object[] {
  return items.map(({ kind, name, change, summary, losses }) => ({ kind, name, change, summary, losses }));
}

/** Whether something goes that cannot be had back by the same files. */
export function takesOut(items: readonly PlannedItem[]): boolean {
  return items.some(({ change, losses }) => change === 'removed' || losses.length > 0);
}

/** `2 added, 1 changed, 0 removed`. */
export function countsOf(items: readonly Pick<PlannedItem, 'change'>[]): string {
  const count = (wanted: PlannedItem['change']) => items.filter(({ change }) => change === wanted).length;
  return `${count('added')} added, ${count('modified')} changed, ${count('removed')} removed`;
}
