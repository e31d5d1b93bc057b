// Which part of the credentials is wrong: one harmless signed read, and what its answer means.
// @spec Authentication › Signature

import { type Answer, type Rest, seen } from './card.ts';
import { type Finding, failed, note, ok, refused } from './finding.ts';

const CHECK = 'credentials';
/** Authenticated, cheap, and it changes nothing. */
const READ = '/portfolio/balances';

const NONE_CURE =
  'set VENUE_API_KEY, VENUE_API_SECRET and VENUE_API_PASSPHRASE, or VENUE_CREDENTIALS_FILE';

/** What each refusal says about the configuration, and what to do. @spec Errors */
const CURES: ReadonlyMap<string, readonly [detail: string, cure: string]> = new Map([
  [
    'missing_credentials',
    [
      'the venue saw no credentials',
      'a proxy on the way removes the SERVICE- headers: go around it',
    ],
  ],
  [
    'unknown_api_key',
    ['the apiKey is wrong or was regenerated', 'copy the apiKey anew from the account’s settings'],
  ],
  [
    'invalid_passphrase',
    [
      'the apiPassphrase does not belong to this apiKey',
      'it is shown once: if it is lost, generate new credentials and set all three',
    ],
  ],
  [
    'invalid_signature',
    [
      'the apiSecret is wrong, or a proxy changes the path',
      'it is shown once: if it is lost, generate new credentials; the base address ends in /api',
    ],
  ],
  [
    'expired_timestamp',
    ['the timestamp is more than 30 s from the venue’s time', 'set this machine’s clock by NTP'],
  ],
  ['account_restricted', ['this account may not trade', 'ask the venue']],
  ['geo_restricted', ['this region may not open positions', 'ask the venue']],
]);

/** Tries the credentials. */
export async function credentialsFinding(rest: Rest, hasCredentials: boolean): Promise<Finding> {
  if (!hasCredentials) return refused(CHECK, 'none are configured', NONE_CURE);
  try {
    return findingOf(await rest.signedGet(READ));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return failed(CHECK, why, 'see whether the venue has an incident');
  }
}

function findingOf(answer: Answer): Finding {
  if (answer.success === true) return ok(CHECK, 'key, secret and passphrase are accepted');
  const code = typeof answer.code === 'string' ? answer.code : undefined;
  const known = code === undefined ? undefined : CURES.get(code);
  if (known) return refused(CHECK, `${known[0]} (${code})`, known[1]);
  if (answer.status === 401 || answer.status === 403) {
    // The older failure has no code, and its message is for people: here is one.
    const words = `the venue refuses them: ${String(answer.message).slice(0, 200)}`;
    return refused(CHECK, words, 'compare all three with the account’s settings');
  }
  if (answer.status === 429) return note(CHECK, 'over budget, so not tried', 'ask again later');
  return failed(CHECK, `${seen(answer)}`, 'see whether the venue has an incident');
}
