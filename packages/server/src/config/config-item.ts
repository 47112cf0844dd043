import { configItemKinds } from '@freehold/contract/config-kinds';

/** What is configured of an org, one thing of a kind and a name: what is versioned, compared and promoted as a whole. */
export interface ConfigItem {
  readonly kind: ConfigItemKind;
  readonly name: string;
}

export { configItemKinds };
export type ConfigItemKind = (typeof configItemKinds)[number];

/** The one text for an item, such as `entity#order`; no kind has a `#`. */
export function itemKey({ kind, name }: ConfigItem): string {
  return `${kind}#${name}`;
}

/** @throws TypeError where it is none. */
export function itemOfKey(key: string): ConfigItem {
  const end = key.indexOf('#');
  const kind = configItemKinds.find((one) => one === key.slice(0, end));
  if (kind === undefined) throw new TypeError(`${key} is no config item`);
  return { kind, name: key.slice(end + 1) };
}
