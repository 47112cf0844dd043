import classes from './charts.module.css';

interface ChartColumn {
  readonly name: string;
  /** Undefined draws nothing. */
  readonly value: number | undefined;
  /** The value in words, for the pointer. */
  readonly text: string;
}

interface Props {
  /** The content of the picture, for people who do not see it. */
  readonly label: string;
  readonly columns: readonly ChartColumn[];
}

const height = 100;
const width = 600;
const namesMax = 5;

/** Columns in their order, negative ones below the line. A table beside it has to say the same. */
export function ColumnChart({ label, columns }: Props) {
  const values = columns.map(({ value = 0 }) => value);
  // By steps: there may be a thousand.
  const most = values.reduce((one, other) => Math.max(one, other), 0);
  const least = values.reduce((one, other) => Math.min(one, other), 0);
  const range = most - least;
  const scale = height / (range === 0 ? 1 : range);
  const zero = most * scale;
  const step = width / Math.max(1, columns.length);
  return (
    <>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        className={classes.columns}
        role="img"
        aria-label={label}
      >
        {columns.map(({ name, value, text }, index) => {
          if (value === undefined) return null;
          const tall = Math.max(1, Math.abs(value) * scale);
          return (
            <rect
              key={name}
              x={index * step}
              y={value < 0 ? Math.min(height - 1, zero) : Math.max(0, Math.min(height - 1, zero - tall))}
              width={step * 0.8}
              height={tall}
              fill={value < 0 ? 'var(--mantine-color-orange-filled)' : 'var(--mantine-primary-color-filled)'}
              opacity={value === 0 ? 0.25 : 1}
            >
              <title>{`${name}: ${text}`}</title>
            </rect>
          );
        })}
      </svg>
      <div className={classes.axis} aria-hidden="true">
        {namedColumns(columns.length).map((at) => (
          <span key={at} style={placeOfName(at, columns.length)}>
            {columns[at]?.name}
          </span>
        ))}
      </div>
    </>
  );
}

/** The places of the columns whose names stand below them: the first, the last, and some between. */
function namedColumns(count: number): readonly number[] {
  const names = Math.min(count, namesMax);
  if (names < 2) return count === 0 ? [] : [0];
  return Array.from({ length: names }, (_, at) => Math.round((at * (count - 1)) / (names - 1)));
}

/** Below the middle of its column, at the ends within the picture. */
function placeOfName(at: number, count: number): { readonly left: string; readonly transform?: string } {
  const left = (share: number) => `${((at + share) / count) * 100}%`;
  if (at === 0) return { left: left(0) };
  return at === count - 1
    ? { left: left(0.8), transform: 'translateX(-100%)' }
    : { left: left(0.4), transform: 'translateX(-50%)' };
}
