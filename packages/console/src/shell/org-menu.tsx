import { Menu, Text, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { meQuery, orgsQuery, usePlace } from '../api/session.ts';
import { CheckIcon, ChevronIcon } from '../components/icons.tsx';
import classes from './shell.module.css';

/** The org, and the other orgs of the user. */
export function OrgMenu() {
  const { org } = usePlace();
  const [isOpen, setIsOpen] = useState(false);
  const { data: me } = useQuery(meQuery);
  const { data: orgs } = useQuery({ ...orgsQuery, enabled: isOpen });
  return (
    <Menu position="bottom-start" width={260} opened={isOpen} onChange={setIsOpen}>
      <Menu.Target>
        <UnstyledButton className={classes.choice} aria-label={`Org: ${me?.org.name ?? org}`}>
          <span className={classes.name}>{me?.org.name ?? org}</span>
          <ChevronIcon size={12} />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Your orgs</Menu.Label>
        {(orgs?.items ?? []).map(({ code, name }) => (
          <Menu.Item
            key={code}
            component={Link}
            to="/o/$org"
            params={{ org: code } as never}
            rightSection={code === org ? <CheckIcon size={12} /> : null}
          >
            {name}
            <Text component="span" size="xs" c="dimmed" ml={6}>
              {code}
            </Text>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
