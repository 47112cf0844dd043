import { type CellState, cellStates, stateNames } from './cell-state.ts';
import classes from './decision.module.css';

const shapes: Readonly<Record<CellState, React.ReactNode>> = {
  allowed: <path d="m3 8.5 3.2 3.2L13 4.8" />,
  conditional: (
    <>
      <circle cx="8" cy="8" r="5" />
      <path d="M8 3a5 5 0 0 1 0 10z" fill="currentColor" />
    </>
  ),
  denied: <path d="m4 4 8 8M12 4l-8 8" />,
  none: <path d="M5 8h6" />,
};

/** A shape for what a cell says, so that colour alone tells nothing. */
export function StateMark({ state }: { readonly state: CellState }) {
  return (
    <span className={classes.mark} data-state={state}>
      <svg
        width={16}
        height={16}
        viewBox="0 0 16 16"
        fill="none"
        stroke="currentColor"
        strokeWidth={1.6}
        strokeLinecap="round"
        strokeLinejoin="round"
        aria-hidden="true"
      >
        {shapes[state]}
      </svg>
    </span>
  );
}

export function Legend() {
  return (
    <div className={classes.legend}>
      {cellStates.map((state) => (
        <span key={state} style={{ display: 'inline-flex', gap: 6, alignItems: 'center' }}>
          <StateMark state={state} />
          {stateNames[state]}
        </span>
      ))}
    </div>
  );
}
