import { Input, Paper } from '@mantine/core';
import { jsonEditorPart } from '../../components/json/json-editor-part.tsx';
import classes from './simulator.module.css';

const JsonEditor = jsonEditorPart(90);

interface Props {
  readonly label: string;
  readonly description?: string;
  readonly text: string;
  readonly mistake: string | undefined;
  readonly onChange: (text: string) => void;
}

/** A text in JSON as a field of a form. */
export function JsonInput({ label, description, text, mistake, onChange }: Props) {
  return (
    <Input.Wrapper label={label} labelElement="div" description={description} error={mistake}>
      <Paper withBorder className={classes.json} mt={4} mb={4}>
        <JsonEditor label={label} text={text} onChange={onChange} />
      </Paper>
    </Input.Wrapper>
  );
}
