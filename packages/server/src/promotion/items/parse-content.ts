import type { ConfigItem } from '../../config/port.ts';
import type { ConfigKind, ConfigKinds } from '../config-kind.ts';

/** What `parse` of its kind makes of an item's content, of which others wait as little as may be. */
export async function parseContent(
  kinds: ConfigKinds,
  { kind, name, content }: ConfigItem & { readonly content: unknown },
): Promise<ReturnType<ConfigKind['parse']>> {
  await kinds[kind].prepare?.(content);
  return kinds[kind].parse(name, content);
}
