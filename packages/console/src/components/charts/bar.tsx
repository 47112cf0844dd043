interface Props {
  readonly value: number;
  /** The least and the greatest of the values beside it. */
  readonly range: readonly [least: number, most: number];
}

/** A bar in a cell, to the left of the line where it is negative. */
export function Bar({ value, range: [least, most] }: Props) {
  const [from, to] = [Math.min(0, least), Math.max(0, most)];
  const whole = to - from || 1;
  const left = ((Math.min(0, value) - from) / whole) * 100;
  return (
    <span
      data-negative={value < 0 || undefined}
      style={{ left: `${left}%`, width: `${(Math.abs(value) / whole) * 100}%` }}
    />
  );
}

/** The least and the greatest of values. */
export function rangeOf(values: readonly number[]): readonly [number, number] {
  return values.reduce<readonly [number, number]>(
    ([least, most], value) => [Math.min(least, value), Math.max(most, value)],
    [0, 0],
  );
}
