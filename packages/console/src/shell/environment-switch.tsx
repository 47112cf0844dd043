import { Menu, Text, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { meQuery, usePlace } from '../api/session.ts';
import { CheckIcon, ChevronIcon } from '../components/icons.tsx';
import classes from './shell.module.css';

const names = { test: 'Test', prod: 'Production' } as const;

export function EnvironmentSwitch() {
  const { org, env } = usePlace();
  const { data } = useQuery(meQuery);
  const hasProduction = data === undefined || data.org.environments.prod !== null;
  return (
    <Menu position="bottom-start" width={260}>
      <Menu.Target>
        <UnstyledButton className={classes.choice} aria-label={`Environment: ${names[env]}`}>
          <span className={classes.env}>{names[env]}</span>
          <ChevronIcon size={12} />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Environment</Menu.Label>
        {(['test', 'prod'] as const).map((one) => (
          <Menu.Item
            key={one}
            component={Link}
            to="/o/$org/$env"
            params={{ org, env: one } as never}
            search={{ w: undefined, u: undefined } as never}
            rightSection={one === env ? <CheckIcon size={12} /> : null}
          >
            {names[one]}
            {one === 'prod' && !hasProduction && (
              <Text component="span" size="xs" c="dimmed" ml={6}>
                not provisioned yet
              </Text>
            )}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
