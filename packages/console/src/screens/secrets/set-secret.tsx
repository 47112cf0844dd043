import { Button, Group, PasswordInput, Stack, TagsInput, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { ApiProblem } from '../../api/problem.ts';
import { queryClient } from '../../api/query-client.ts';
import { type Environment, usePlace } from '../../api/session.ts';
import { Dialog } from '../../components/dialog/dialog.tsx';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { ReasonedButton } from '../../components/reasoned-button.tsx';
import { readSecretsAgain, type Secret, secretsQuery } from './queries.ts';
import { Uses } from './uses.tsx';

interface Props {
  /** The secret whose value is replaced; left out, one is made. */
  readonly secret?: Secret;
  readonly close: () => void;
}

/** Takes the value of a secret, which is shown nowhere afterwards. */
export function SetSecret({ secret, close }: Props) {
  return (
    <Dialog
      onClose={close}
      title={secret === undefined ? 'New secret' : `Replace the value of ${secret.name}`}
      closeOnClickOutside={false}
    >
      <SecretForm secret={secret} close={close} />
    </Dialog>
  );
}

interface FormProps {
  readonly secret: Secret | undefined;
  readonly close: () => void;
}

function SecretForm({ secret, close }: FormProps) {
  const { env } = usePlace();
  const [name, setName] = useState(secret?.name ?? '');
  const [value, setValue] = useState('');
  const [hosts, setHosts] = useState<readonly string[]>(secret?.hosts ?? []);
  const isTaken = useIsTaken(name) && secret === undefined;
  const save = useMutation({
    mutationFn: async () => {
      // Another admin may have set one since the list was read, whose value would be lost.
      if (secret === undefined && (await isTakenNow(env, name))) return false;
      await call('setSecret', { params: { name }, query: { env }, body: { value, hosts: [...hosts] } });
      return true;
    },
    onSuccess: async (isSet) => {
      if (!isSet) return;
      setValue('');
      await readSecretsAgain();
      close();
    },
    gcTime: 0,
  });
  const problem = save.error instanceof ApiProblem ? save.error : undefined;
  const host = hostProblem(problem, hosts);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <Stack>
        {secret === undefined ? (
          <NameInput
            name={name}
            error={problem?.errorAt('/name') ?? (isTaken ? taken : name === '' || isName(name) ? undefined : wrongName)}
            onChange={setName}
          />
        ) : (
          <Affected secret={secret} />
        )}
        <ValueInput
          value={value}
          error={problem?.errorAt('/value')}
          isFirst={secret !== undefined}
          onChange={setValue}
        />
        <HostsInput hosts={hosts} error={host?.message} onChange={setHosts} />
        <ProblemAlert error={save.error} shownAtFields={['/name', '/value', host?.pointer ?? '']} />
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <ReasonedButton reason={missing({ name, value, isTaken })} type="submit" loading={save.isPending}>
            {secret === undefined ? 'Set the secret' : 'Replace the value'}
          </ReasonedButton>
        </Group>
      </Stack>
    </form>
  );
}

function Affected({ secret }: { readonly secret: Secret }) {
  if ((secret.referenced_by ?? []).length === 0)
    return <Text size="sm">No live logic block of this environment refers to it.</Text>;
  return (
    <div>
      <Text size="sm">The new value counts from the next call on, for:</Text>
      <Uses secret={secret} />
    </div>
  );
}

const wrongName = 'It starts with a letter and has at most 64 letters, digits, _ and -.';

/** As the platform takes it: what no path can hold is not sent at all. */
function isName(name: string): boolean {
  return /^[A-Za-z][A-Za-z0-9_-]{0,63}$/.test(name);
}

const taken = 'There is a secret of this name: replace its value.';

/** Whether the list has a secret of the name: setting it would replace its value. */
function useIsTaken(name: string): boolean {
  const { env } = usePlace();
  const known = queryClient.getQueryData(secretsQuery(env).queryKey)?.items ?? [];
  return known.some((other) => other.name === name);
}

async function isTakenNow(env: Environment, name: string): Promise<boolean> {
  const { items } = await queryClient.fetchQuery({ ...secretsQuery(env), staleTime: 0 });
  return items.some((other) => other.name === name);
}

interface Typed {
  readonly name: string;
  readonly value: string;
  readonly isTaken: boolean;
}

function missing({ name, value, isTaken }: Typed): string | undefined {
  if (name === '') return 'The secret needs a name.';
  if (isTaken) return taken;
  if (!isName(name)) return wrongName;
  return value === '' ? 'The secret needs a value.' : undefined;
}

/** The faults of one of the hosts, by its name. */
function hostProblem(problem: ApiProblem | undefined, hosts: readonly string[]) {
  const found = problem?.errors.find(({ pointer }) => pointer.startsWith('/hosts'));
  if (found === undefined) return undefined;
  const host = hosts[Number(found.pointer.split('/')[2])];
  return { pointer: found.pointer, message: host === undefined ? found.message : `${host}: ${found.message}` };
}

interface InputProps {
  readonly error: string | undefined;
}

function NameInput({ name, error, onChange }: InputProps & { name: string; onChange: (name: string) => void }) {
  return (
    <TextInput
      label="Name"
      description="A letter, and then letters, digits, _ and -. Logic blocks refer to it by this name."
      value={name}
      error={error}
      required
      data-autofocus
      autoComplete="off"
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}

interface ValueProps extends InputProps {
  readonly value: string;
  readonly isFirst: boolean;
  readonly onChange: (value: string) => void;
}

function ValueInput({ value, error, isFirst, onChange }: ValueProps) {
  return (
    <PasswordInput
      label="Value"
      description="Printable ASCII, at most 4,096 characters. It is encrypted at rest, and no call returns it."
      value={value}
      error={error}
      required
      autoComplete="new-password"
      {...(isFirst ? { 'data-autofocus': true } : {})}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}

const hostsMax = 20;

interface HostsProps extends InputProps {
  readonly hosts: readonly string[];
  readonly onChange: (hosts: readonly string[]) => void;
}

function HostsInput({ hosts, error, onChange }: HostsProps) {
  return (
    <TagsInput
      label="Hosts that it may be sent to"
      description="As api.example.com, or *.example.com for all hosts below it. None, if it only checks messages to a hook."
      placeholder={hosts.length === 0 ? 'Type a host, and press Enter' : ''}
      value={[...hosts]}
      maxTags={hostsMax}
      splitChars={[',', ' ']}
      acceptValueOnBlur
      error={error}
      onChange={onChange}
    />
  );
}
