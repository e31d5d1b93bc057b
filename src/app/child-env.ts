// What of the environment a child gets: what the machine needs, and the secrets that are its own. Whatever else a
// shell, a unit or a build server has set is not read there, and cannot leak from there.

type Environment = Readonly<Record<string, string | undefined>>;

/** Of the system, of Node, of the terminal and of how npm was asked; none of them is a secret. */
const MACHINE =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|PWD|TMPDIR|TMP|TEMP|TZ|LANG|LANGUAGE|LC_[A-Z]+|TERM|COLORTERM|NO_COLOR|FORCE_COLOR|COLUMNS|LINES|npm_command|SSL_CERT_FILE|SSL_CERT_DIR|LD_LIBRARY_PATH|UV_[A-Z_]+|NODE_(?:OPTIONS|ENV|PATH|DEBUG|EXTRA_CA_CERTS|NO_WARNINGS|V8_COVERAGE|COMPILE_CACHE|USE_SYSTEM_CA|ICU_DATA)|SystemRoot)$/i;
const VENUE_ADDRESS = /^VENUE_(?:BASE|WS)_URL$/;
/** Credentials of the venue, variables of ours, and what feeds log in with. */
const OF_A_TRADER = /^(?:VENUE|BOOKEND|FEED)_/;
const FEED = /^FEED_/;
/** Who holds one may end the daemon: they are for the process that serves HTTP, which is told them. */
const TOKEN = /^BOOKEND_(?:CONTROL|VIEW|TRADE|KILL)_TOKEN$/;
/** That a variable is set may be what a configuration depends on, never what it says. */
const WITHHELD = 'withheld-from-this-process';

/** Of a process that trades. */
export function traderEnv(env: Environment): Environment {
  return picked(env, (name) => !TOKEN.test(name) && OF_A_TRADER.test(name));
}

/** Of one that reads the configuration and talks to whoever can reach it: no secret is in it. */
export function openEnv(env: Environment): Environment {
  const named = Object.keys(env).filter((name) => FEED.test(name) && env[name]);
  const withheld = Object.fromEntries(named.map((name) => [name, WITHHELD]));
  return { ...picked(env, (name) => VENUE_ADDRESS.test(name)), ...withheld };
}

function picked(env: Environment, isWanted: (name: string) => boolean): Environment {
  const kept = Object.entries(env).filter(([name]) => MACHINE.test(name) || isWanted(name));
  return Object.fromEntries(kept);
}
