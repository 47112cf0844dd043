import { TextInput, type TextInputProps } from '@mantine/core';

interface Props extends Omit<TextInputProps, 'onChange' | 'readOnly'> {
  readonly isReadOnly: boolean;
  readonly onChange: (value: string) => void;
}

/** A member of the definition that is a text. */
export function TextMember({ isReadOnly, onChange, ...rest }: Props) {
  return <TextInput {...rest} readOnly={isReadOnly} onChange={({ currentTarget: { value } }) => onChange(value)} />;
}
