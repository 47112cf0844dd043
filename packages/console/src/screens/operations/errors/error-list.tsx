import { Badge, Code, Paper, Table, Text } from '@mantine/core';
import { CopyId } from '../../../components/copy-id.tsx';
import { Sentence } from '../../../components/sentence.tsx';
import { When } from '../../../components/when.tsx';
import { OperationsLink } from '../operations-link.tsx';
import classes from './errors.module.css';
import type { NodeError } from './queries.ts';
import { causeSentence, errorSentence } from './words.ts';

export function ErrorList({ errors }: { readonly errors: readonly NodeError[] }) {
  return (
    <Paper withBorder style={{ overflowX: 'auto' }}>
      <Table aria-label="Errors" miw={820} verticalSpacing="sm">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>When</Table.Th>
            <Table.Th>What failed</Table.Th>
            <Table.Th>Org</Table.Th>
            <Table.Th>Request</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {keyed(errors).map(({ key, error }) => (
            <ErrorRow key={key} error={error} />
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}

/** An error has no id, and several may be alike. */
function keyed(errors: readonly NodeError[]): readonly { readonly key: string; readonly error: NodeError }[] {
  const seen = new Map<string, number>();
  return errors.map((error) => {
    const text = JSON.stringify(error);
    const times = seen.get(text) ?? 0;
    seen.set(text, times + 1);
    return { key: `${text} ${times}`, error };
  });
}

function ErrorRow({ error }: { readonly error: NodeError }) {
  const { at, times, first_at, org, env, request_id, fault, gateway } = error;
  return (
    <Table.Tr className={classes.row ?? ''}>
      <Table.Td className={classes.when ?? ''}>
        <When at={at} />
        {times > 1 && (
          <Text size="xs" c="dimmed" component="div">
            {times.toLocaleString('en')} times since <When at={first_at} />
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        <Text size="sm" component="div">
          <Sentence text={errorSentence(error)} />
        </Text>
        <Text size="sm" c="dimmed" className={classes.cause ?? ''}>
          {causeSentence(error)}
        </Text>
        {fault?.place != null && (
          <Text size="xs" c="dimmed" component="div">
            at <Code>{fault.place}</Code>
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        {org === null ? (
          <Text size="sm" c="dimmed">
            none
          </Text>
        ) : (
          <OperationsLink screen="orgs" item={org}>
            {org}
          </OperationsLink>
        )}
        {env !== null && (
          <Text size="xs" c="dimmed">
            {env === 'prod' ? 'production' : 'test'}
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        {request_id !== null && <CopyId value={request_id} what="request id" />}
        {gateway !== null && (
          <Badge size="xs" variant="outline" color="gray" tt="none">
            {gateway}
          </Badge>
        )}
      </Table.Td>
    </Table.Tr>
  );
}
