import { mailTextMax } from '@freehold/contract/app-mails';
import { Button, Group, Stack, Table, Text, Textarea, TextInput } from '@mantine/core';
import type { SettingDraft } from '../use-setting-draft.ts';
import classes from './mail.module.css';
import type { Mail, MailText } from './queries.ts';

interface Props {
  readonly mail: Mail;
  readonly text: MailText;
  readonly isReadOnly: boolean;
  readonly draft: SettingDraft;
  readonly onChange: (text: MailText) => void;
}

/** The parts of a text, and what they may read. */
export function MailFields({ mail, text, isReadOnly, draft, onChange }: Props) {
  const shared = { readOnly: isReadOnly, className: classes.editor ?? '' };
  const { html, ...plain } = text;
  return (
    <Stack gap="sm">
      <TextInput
        label="Subject"
        value={text.subject}
        maxLength={mailTextMax.subject}
        readOnly={isReadOnly}
        error={draft.errorAt('/value/subject')}
        onChange={({ currentTarget: { value } }) => onChange({ ...text, subject: value })}
      />
      <Textarea
        {...shared}
        label="Text"
        description="Plain text, with the link."
        value={text.text}
        maxLength={mailTextMax.text}
        autosize
        minRows={8}
        maxRows={24}
        error={draft.errorAt('/value/text')}
        onChange={({ currentTarget: { value } }) => onChange({ ...text, text: value })}
      />
      {html !== undefined && (
        <Textarea
          {...shared}
          label="HTML"
          description="Mail programs that show it show it in place of the text. Values are escaped."
          value={html}
          maxLength={mailTextMax.html}
          autosize
          minRows={6}
          maxRows={24}
          error={draft.errorAt('/value/html')}
          onChange={({ currentTarget: { value } }) => onChange({ ...text, html: value })}
        />
      )}
      {!isReadOnly && (
        <Group>
          <Button
            variant="default"
            size="compact-sm"
            onClick={() =>
              onChange(html === undefined ? { ...text, html: '<p><a href="{{link}}">{{link}}</a></p>' } : plain)
            }
          >
            {html === undefined ? 'Add HTML' : 'Remove the HTML'}
          </Button>
        </Group>
      )}
      <Variables mail={mail} />
    </Stack>
  );
}

function Variables({ mail: { variables } }: { readonly mail: Mail }) {
  return (
    <div>
      <Text size="sm" fw={500} mb={4}>
        What a text may read
      </Text>
      <Table aria-label="Variables">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Variable</Table.Th>
            <Table.Th>Meaning</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {variables.map(({ name, meaning }) => (
            <Table.Tr key={name}>
              <Table.Td className={classes.variable}>{`{{${name}}}`}</Table.Td>
              <Table.Td>
                {meaning}
                {name === 'link' ? '; not in the subject' : ''}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}
