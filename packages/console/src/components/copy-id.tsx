import { CopyButton, Tooltip, UnstyledButton } from '@mantine/core';
import classes from './copy-id.module.css';
import { CheckIcon, CopyIcon } from './icons.tsx';

interface Props {
  readonly value: string;
  /** What it is, for those who do not see the screen. */
  readonly what: string;
}

/** An id that a click copies. */
export function CopyId({ value, what }: Props) {
  return (
    <CopyButton value={value}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? 'Copied' : `Copy the ${what}`}>
          <UnstyledButton className={classes.id} onClick={copy} aria-label={`Copy the ${what} ${value}`}>
            <code>{value}</code>
            {copied ? <CheckIcon size={12} /> : <CopyIcon size={12} />}
          </UnstyledButton>
        </Tooltip>
      )}
    </CopyButton>
  );
}
