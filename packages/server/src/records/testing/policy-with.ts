import type { RecordPolicy } from '../record-policy.ts';

/** The policy, but for some members: a policy may be an object of a class, so that a spread would lose its methods. */
export function policyWith(policy: RecordPolicy, changes: Partial<RecordPolicy>): RecordPolicy {
  return new Proxy(policy, {
    get(target, name) {
      const value: unknown = Reflect.get(name in changes ? changes : target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
