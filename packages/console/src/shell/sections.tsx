import { NavLink, UnstyledButton } from '@mantine/core';
import { Link, useRouterState } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { usePlace } from '../api/session.ts';
import { ChevronIcon } from '../components/icons.tsx';
import { navigation } from './navigation.ts';
import classes from './shell.module.css';

type Section = (typeof navigation)[number];

/** The headings of the sections that the user leaves open, with commas between them. */
const storageKey = 'freehold.sections';

/** Until the user opens or closes one. With the section of any screen open beside them, all entries fit on a laptop. */
const openAtFirst = 'Data,Access';

/** The sections of screens that have no entry. */
const unlisted: Readonly<Record<string, string>> = {
  'new-entity': 'Data',
  'new-policy': 'Access',
  'policy-template': 'Access',
  deliveries: 'Automation',
  'new-logic-block': 'Automation',
  'new-config': 'Release',
};

/** The screens by section. The section of the present screen is open; of the others, those that the user leaves open. */
export function Sections() {
  const current = useCurrent();
  const [open, setOpen] = useState(() => new Set((localStorage.getItem(storageKey) ?? openAtFirst).split(',')));
  const [isCurrentClosed, setIsCurrentClosed] = useState(false);
  useEffect(() => {
    if (current !== undefined) setIsCurrentClosed(false);
  }, [current]);
  const toggle = (heading: string, isOpen: boolean) => {
    const others = [...open].filter((one) => one !== heading);
    const changed = isOpen ? others : [...others, heading];
    localStorage.setItem(storageKey, changed.join());
    setOpen(new Set(changed));
    if (heading === current) setIsCurrentClosed(isOpen);
  };
  return navigation.map((section) => {
    const { heading } = section;
    if (heading === undefined) return <Entries key="start" section={section} label="Start" />;
    const isOpen = heading === current ? !isCurrentClosed : open.has(heading);
    return (
      <Entries key={heading} section={section} label={heading} isOpen={isOpen}>
        <UnstyledButton className={classes.section} aria-expanded={isOpen} onClick={() => toggle(heading, isOpen)}>
          {heading}
          <ChevronIcon size={12} />
        </UnstyledButton>
      </Entries>
    );
  });
}

/** The section of the present screen; undefined for Home and for screens about the user. */
function useCurrent(): string | undefined {
  const { org, env } = usePlace();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const screen = path.split(`/o/${org}/${env}/`)[1]?.split('/')[0] ?? '';
  const listed = navigation.find(({ screens }) => screens.some(({ to }) => to === `/o/$org/$env/${screen}`));
  return listed?.heading ?? unlisted[screen];
}

interface EntriesProps {
  readonly section: Section;
  readonly label: string;
  readonly isOpen?: boolean;
  /** Above the entries. */
  readonly children?: ReactNode;
}

function Entries({ section: { screens }, label, isOpen = true, children }: EntriesProps) {
  const { org, env } = usePlace();
  return (
    // biome-ignore lint/a11y/useSemanticElements: no element but a set of form fields is a group
    <div role="group" aria-label={label}>
      {children}
      {isOpen &&
        screens.map(({ label: name, to, icon: Icon, isExact }) => (
          <Link
            key={to}
            to={to}
            params={{ org, env }}
            activeOptions={{ exact: isExact }}
            className={classes.link ?? ''}
          >
            {({ isActive }) => (
              <NavLink
                component="span"
                label={name}
                leftSection={<Icon />}
                active={isActive}
                className={classes.entry}
              />
            )}
          </Link>
        ))}
    </div>
  );
}
