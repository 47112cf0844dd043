interface Props {
  readonly days: readonly { readonly date: string; readonly calls: number }[];
}

const height = 36;
const width = 5;

/** A bar for each of the last days, the highest as tall as the picture. */
export function DayBars({ days }: Props) {
  const last = days.slice(-21);
  const most = Math.max(1, ...last.map(({ calls }) => calls));
  const sum = last.reduce((total, { calls }) => total + calls, 0);
  return (
    <svg width={last.length * width} height={height} role="img" aria-label={`${sum} calls in ${last.length} days`}>
      {last.map(({ date, calls }, index) => {
        const tall = Math.max(1.5, (calls / most) * height);
        return (
          <rect
            key={date}
            x={index * width}
            y={height - tall}
            width={width - 1.5}
            height={tall}
            rx={1}
            fill="var(--mantine-primary-color-filled)"
            opacity={calls === 0 ? 0.25 : 1}
          >
            <title>{`${date}: ${calls} calls`}</title>
          </rect>
        );
      })}
    </svg>
  );
}
