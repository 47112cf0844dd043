import type { providersApi } from '@freehold/contract/management/settings/providers';
import type { ReplyOf } from '@freehold/contract/route';
import { Alert, List, Table } from '@mantine/core';

type Discovered = ReplyOf<typeof providersApi.discoverProvider>;

/** What a provider publishes, and what of it may be in the way. */
export function DiscoveredFacts({ found }: { readonly found: Discovered }) {
  const rows: readonly (readonly [string, string])[] = [
    ['Sign-in page', found.authorization_endpoint ?? 'none'],
    ['Keys', `${found.jwks_uri}: ${found.keys === 1 ? 'one key fits' : `${found.keys} keys fit`}`],
    ['Algorithms', found.algorithms.join(', ')],
    ['Scopes', found.scopes.join(', ') || 'not named'],
    ['Claims', found.claims.join(', ') || 'not named'],
  ];
  const notes = notesOn(found);
  return (
    <>
      <Table aria-label={`What ${found.issuer} publishes`} variant="vertical" layout="fixed">
        <Table.Tbody>
          {rows.map(([name, text]) => (
            <Table.Tr key={name}>
              <Table.Th w={140}>{name}</Table.Th>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>{text}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {notes.length > 0 && (
        <Alert color="yellow" role="note">
          <List size="sm">
            {notes.map((note) => (
              <List.Item key={note}>{note}</List.Item>
            ))}
          </List>
        </Alert>
      )}
    </>
  );
}

function notesOn({ scopes, claims, pkce, public_clients }: Discovered): readonly string[] {
  return [
    ...(scopes.length > 0 && !scopes.includes('email')
      ? ['It names no scope email. A user without an email in the token cannot sign in.']
      : []),
    ...(claims.length > 0 && !claims.includes('email_verified')
      ? ['It names no claim email_verified. An email that is not verified joins no account that exists.']
      : []),
    ...(pkce ? [] : ['It does not say that it takes PKCE with S256, which apps in a browser need.']),
    ...(public_clients
      ? []
      : [
          'It names no clients without a secret. An app in a browser can keep no secret, so check how its client is set up.',
        ]),
  ];
}
