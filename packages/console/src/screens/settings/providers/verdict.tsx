import type { providersApi } from '@freehold/contract/management/settings/providers';
import type { ReplyOf } from '@freehold/contract/route';
import { Alert, Badge, Group, Stack, Table, Text, Title } from '@mantine/core';
import { Sentence } from '../../../components/sentence.tsx';
import classes from '../settings.module.css';

type SignInVerdict = ReplyOf<typeof providersApi.testSignIn>;
type Check = SignInVerdict['checks'][number];

const questions: Readonly<Record<Check['check'], string>> = {
  form: 'It is a JSON Web Token',
  issuer: 'Its issuer is a provider of the app',
  signature: 'A key of the provider signed it',
  audience: 'It was made for this app',
  times: 'It is valid now',
  identity: 'Its claims name a user',
  nonce: 'It belongs to this sign-in',
  account: 'The user has an account, or can get one',
  membership: 'The user is not suspended',
};

const states = {
  passed: { label: 'yes', color: 'teal' },
  failed: { label: 'no', color: 'red' },
  not_reached: { label: 'not looked at', color: 'gray' },
} as const;

/** Whether a token would be accepted, check by check, and what it says. */
export function Verdict({ verdict }: { readonly verdict: SignInVerdict }) {
  const { accepted, checks, claims } = verdict;
  const isProved = checks.some(({ check, state }) => check === 'signature' && state === 'passed');
  return (
    <Stack component="section" aria-label="Result of the test">
      <Alert
        color={accepted ? 'green' : 'red'}
        role="status"
        classNames={{ title: classes.alertTitle ?? '' }}
        title={accepted ? 'The app would accept this token.' : 'The app would refuse this token.'}
      >
        {accountText(verdict)} Nothing was made or changed.
      </Alert>
      <Table aria-label="Checks">
        <Table.Tbody>
          {checks.map((one) => (
            <CheckRow key={one.check} one={one} />
          ))}
        </Table.Tbody>
      </Table>
      {claims !== null && (
        <>
          <Group gap="xs">
            <Title order={3} size="h4">
              Claims of the token
            </Title>
            <Badge variant="dot" color={isProved ? 'teal' : 'gray'} tt="none">
              {isProved ? 'signed by the provider' : 'not proved'}
            </Badge>
          </Group>
          <Table aria-label="Claims of the token" layout="fixed">
            <Table.Tbody>
              {Object.entries(claims).map(([name, value]) => (
                <Table.Tr key={name}>
                  <Table.Th w={160} style={{ overflowWrap: 'anywhere' }}>
                    {name}
                  </Table.Th>
                  <Table.Td className={classes.value}>{claimText(name, value)}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </>
      )}
    </Stack>
  );
}

function CheckRow({ one: { check, state, code, reason } }: { readonly one: Check }) {
  const { label, color } = states[state];
  return (
    <Table.Tr>
      <Table.Td w={120}>
        <Badge variant="dot" color={color} tt="none">
          {label}
        </Badge>
      </Table.Td>
      <Table.Td>
        {questions[check]}
        {reason !== undefined && (
          <Text size="sm">
            <Sentence text={reason} /> ({code})
          </Text>
        )}
      </Table.Td>
    </Table.Tr>
  );
}

function accountText({ account, identity }: SignInVerdict): string {
  const email = identity?.email ?? 'the user';
  if (account === 'known') return 'This identity has signed in before.';
  if (account === 'linked') return `It would join the account that has verified ${email}.`;
  return account === 'new' ? `It would make a new account for ${email}.` : '';
}

/** Times are seconds since 1970. */
const times: ReadonlySet<string> = new Set(['exp', 'iat', 'nbf', 'auth_time']);
/** The last second that a date of a browser can show. */
const secondsMax = 8_640_000_000_000;

function claimText(name: string, value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (!times.has(name) || typeof value !== 'number' || Math.abs(value) > secondsMax) return text;
  return `${text} (${new Date(value * 1000).toISOString().replace('T', ' ').replace('.000Z', ' UTC')})`;
}
