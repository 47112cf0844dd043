import { Anchor, Badge, Paper, Skeleton, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { usePlace } from '../../../api/session.ts';
import { Loaded } from '../../../components/loaded.tsx';
import { PromotionNotice } from '../promotion-notice.tsx';
import { SettingsFrame } from '../settings-page.tsx';
import classes from './mail.module.css';
import { type Mail, mailLabels, mailsQuery, textIn } from './queries.ts';

/** The mails that the platform sends to the users of the app, and whose text each of them has. */
export function Mails() {
  const { env } = usePlace();
  const mails = useQuery(mailsQuery(env));
  return (
    <SettingsFrame path="mail">
      <PromotionNotice path="mail" />
      <Loaded query={mails} skeleton={<Skeleton height={280} />}>
        {({ items }) => <MailTable items={items} />}
      </Loaded>
    </SettingsFrame>
  );
}

function MailTable({ items }: { readonly items: readonly Mail[] }) {
  const { org, env } = usePlace();
  return (
    <Paper withBorder className={classes.scroll}>
      <Table highlightOnHover aria-label="Mails">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Mail</Table.Th>
            <Table.Th>Subject</Table.Th>
            <Table.Th>Text</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {items.map((mail) => {
            const text = textIn(env, mail);
            return (
              <Table.Tr key={mail.name}>
                <Table.Td className={classes.what}>
                  <Anchor component={Link} to={`/o/${org}/${env}/settings/mail/${mail.name}`} fw={500}>
                    {mailLabels[mail.name] ?? mail.name}
                  </Anchor>
                  <Text size="sm" c="dimmed">
                    {mail.sent}
                  </Text>
                </Table.Td>
                <Table.Td className={classes.template}>{(text ?? mail.default).subject}</Table.Td>
                <Table.Td className={classes.state}>
                  <Badge variant="dot" color={text === null ? 'gray' : 'teal'} tt="none">
                    {text === null ? 'by the platform' : 'your own'}
                  </Badge>
                </Table.Td>
              </Table.Tr>
            );
          })}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}
