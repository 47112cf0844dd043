import classes from '../grid.module.css';

interface Props {
  readonly order: 'ascending' | 'descending' | undefined;
}

/** Which way a column is sorted. The header says it in words. */
export function SortMark({ order }: Props) {
  return (
    <span className={classes.mark} aria-hidden="true">
      {order === undefined ? '↕' : order === 'ascending' ? '↑' : '↓'}
    </span>
  );
}
