import { counted } from '../../components/words/counted.ts';

interface Props {
  readonly days: readonly { readonly date: string; readonly count: number }[];
  /** The amounts that are counted, in the singular and in the plural. */
  readonly what: readonly [one: string, many: string];
}

const height = 36;
const width = 5;

/** A bar for each of the last days, the highest as tall as the picture. */
export function DayBars({ days, what }: Props) {
  const last = days.slice(-21);
  const most = Math.max(1, ...last.map(({ count }) => count));
  const sum = last.reduce((total, { count }) => total + count, 0);
  return (
    <svg
      width={last.length * width}
      height={height}
      role="img"
      aria-label={`${counted(sum, ...what)} in ${counted(last.length, 'day')}`}
    >
      {last.map(({ date, count }, index) => {
        const tall = Math.max(1.5, (count / most) * height);
        return (
          <rect
            key={date}
            x={index * width}
            y={height - tall}
            width={width - 1.5}
            height={tall}
            rx={1}
            fill="var(--mantine-primary-color-filled)"
            opacity={count === 0 ? 0.25 : 1}
          >
            <title>{`${date}: ${counted(count, ...what)}`}</title>
          </rect>
        );
      })}
    </svg>
  );
}
