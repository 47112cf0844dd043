import { Button, type ButtonProps, Tooltip } from '@mantine/core';

interface Props extends ButtonProps {
  /** Why it cannot be pressed; undefined where it can. */
  readonly reason: string | undefined;
  readonly onClick?: () => void;
  readonly type?: 'button' | 'submit';
}

/** A button that says why it is disabled, to the keyboard and to screen readers too. */
export function ReasonedButton({ reason, onClick, type = 'button', ...rest }: Props) {
  if (reason === undefined) return <Button type={type} onClick={onClick} {...rest} />;
  return (
    <Tooltip label={reason} multiline maw={320} events={{ hover: true, focus: true, touch: true }}>
      <Button
        {...rest}
        type="button"
        data-disabled
        aria-disabled="true"
        aria-description={reason}
        onClick={(event) => event.preventDefault()}
      />
    </Tooltip>
  );
}
