import { PasswordInput } from '@mantine/core';

interface Props {
  readonly name: string;
  readonly label: string;
  readonly error: string | undefined;
}

/** A password that is being chosen. */
export function NewPasswordInput({ name, label, error }: Props) {
  return (
    <PasswordInput
      name={name}
      label={label}
      description="At least 10 characters"
      autoComplete="new-password"
      minLength={10}
      required
      error={error}
    />
  );
}
