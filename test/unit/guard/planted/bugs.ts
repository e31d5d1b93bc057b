// Bugs of the guard and of `bookend kill` that somebody could write: each must be found by a scene of scenes.ts.

import type { PlantedBug } from '../../../support/planted.ts';

const SWEEP = 'src/guard/sweep.ts';
const SUPERVISOR = 'src/guard/supervisor.ts';
const KILL = 'src/guard/kill.ts';

export const BUGS: readonly PlantedBug[] = [
  {
    name: 'partly-traded-is-over',
    about: 'takes an order that has traded in part for over',
    file: SWEEP,
    from: 'return order.executed < order.quantity;',
    to: 'return order.executed === 0;',
  },
  {
    name: 'empty-before-accepted',
    about: 'takes an empty list before any cancel was accepted',
    file: SWEEP,
    from: "if (failure !== undefined) return this.#failed('cancel', failure);",
    to: "if (failure !== undefined) this.#failed('cancel', failure);",
  },
  {
    name: 'quiet-goes-on',
    about: 'does not begin its quiet time anew after a late find',
    file: SWEEP,
    from: `    this.#emptySinceMs = undefined;
    this.#mustCancel = true;
    this.#trouble`,
    to: `    this.#mustCancel = true;
    this.#trouble`,
  },
  {
    name: 'late-find-is-left',
    about: 'cancels once, and not what shows up behind it',
    file: SWEEP,
    from: `    this.#emptySinceMs = undefined;
    this.#mustCancel = true;
    this.#trouble`,
    to: `    this.#emptySinceMs = undefined;
    this.#trouble`,
  },
  {
    name: 'failure-is-no-failure',
    about: 'goes on by an older list where the newest could not be read',
    file: SWEEP,
    from: 'this.#failuresInRow = failure ? this.#failuresInRow + 1 : 0;',
    to: 'this.#failuresInRow = 0;',
  },
  {
    name: 'unread-is-left-alone',
    about: 'cancels nothing more while no list can be read',
    file: SWEEP,
    from: `      this.#mustCancel = true;
      return this.#failed('list', outcome);`,
    to: `      return this.#failed('list', outcome);`,
  },
  {
    name: 'unanswered-is-accepted',
    about: 'takes a cancel without an answer for an accepted one',
    file: SWEEP,
    from: `return outcome.kind === 'accepted' || isNotCancellable(outcome);`,
    to: `return outcome.kind !== 'notSent';`,
  },
  {
    name: 'refused-is-accepted',
    about: 'takes any refusal of the cancel of everything for the word that nothing is there',
    file: SWEEP,
    from: `return outcome.kind === 'accepted' || isNotCancellable(outcome);`,
    to: `return outcome.kind === 'accepted' || outcome.kind === 'refused';`,
  },
  {
    name: 'strangers-are-cancelled',
    about: 'cancels the whole account where only own orders are meant',
    file: SWEEP,
    from: 'const failure = own === undefined ? await this.#cancelAll() : await this.#cancelOwn(own);',
    to: 'const failure = await this.#cancelAll();',
  },
  {
    name: 'hung-call-is-awaited',
    about: 'waits for a call of the venue for as long as it takes',
    file: SWEEP,
    from: 'return await inTime(answer, pastDeadline, { timers: this.#options.timers, ms: patienceMs });',
    to: 'return await answer;',
  },
  {
    name: 'kill-has-no-quiet',
    about: 'calls a kill confirmed by the first empty list',
    file: KILL,
    from: '- emptySinceMs >= this.#options.quietMs',
    to: '- emptySinceMs >= 0',
  },
  {
    name: 'kill-awaits-nothing',
    about: 'calls a kill confirmed while something sent before may arrive',
    file: KILL,
    from: 'return isQuiet && lookedAtMs >= this.#inFlightUntilMs();',
    to: 'return isQuiet;',
  },
  {
    name: 'kill-has-no-end',
    about: 'waits out what may arrive, whatever time it was given',
    file: KILL,
    from: 'const endMs = Math.min(Math.max(untilMs, inFlightMs), startedAtMs + withinMs);',
    to: 'const endMs = Math.max(untilMs, inFlightMs, 0 * (startedAtMs + withinMs));',
  },
  {
    name: 'doubt-is-none',
    about: 'calls own orders gone while nobody has said whose the open ones are',
    file: KILL,
    from: 'if (!this.#sweep.isCertain) return false;',
    to: '',
  },
  {
    name: 'watch-ends-early',
    about: 'calls a death confirmed before the venue takes nothing any more',
    file: 'src/guard/watch.ts',
    from: 'isEmpty && lookedAtMs >= this.#confirmedAtMs() && this.#hasSettled()',
    to: 'isEmpty && this.#hasSettled()',
  },
  {
    name: 'settlement-is-not-awaited',
    about: 'ends beside matched orders that may rest again',
    file: 'src/guard/watch.ts',
    from: 'isEmpty && lookedAtMs >= this.#confirmedAtMs() && this.#hasSettled()',
    to: 'isEmpty && lookedAtMs >= this.#confirmedAtMs()',
  },
  {
    name: 'next-life-over-open-orders',
    about: 'starts the next trader while orders of the last one are open',
    file: SUPERVISOR,
    from: 'this.#watch?.clearMs !== undefined || this.#givenUp !== undefined',
    to: 'true',
  },
  {
    name: 'two-who-cancel',
    about: 'goes on cancelling beside the trader that has taken over',
    file: SUPERVISOR,
    from: 'const quietForMs = await watch?.release();',
    to: 'const quietForMs = 0;',
  },
  {
    name: 'down-without-latch',
    about: 'stays down without the latch, so that whoever starts it anew quotes',
    file: SUPERVISOR,
    from: 'await this.#latch.set(why);',
    to: '',
  },
  {
    name: 'starved-is-a-crash',
    about: 'latches the account on a machine that is crowded',
    file: SUPERVISOR,
    from: "const isCrash = reason !== 'starved' && ",
    to: 'const isCrash = ',
  },
  {
    name: 'blamed-is-a-crash',
    about: 'latches the account for a strategy that it could leave out',
    file: SUPERVISOR,
    from: ' && call === undefined;',
    to: ';',
  },
  {
    name: 'exit-zero-is-good',
    about: 'takes an exit with 0 for an end in good order, whoever ended the process',
    file: 'src/guard/death.ts',
    from: 'if (hasGone && !isLeaving) return undefined;',
    to: '',
  },
  {
    name: 'silent-lives-on',
    about: 'cancels for a silent trader and leaves it alive, to place again',
    file: 'src/guard/trader-run.ts',
    from: `    this.#options.process.signal('SIGKILL');
    const { silentMs`,
    to: `    const { silentMs`,
  },
  {
    name: 'hang-has-no-bound',
    about: 'waits for a starved trader for ever',
    file: 'src/guard/trader-run.ts',
    from: ' || silentMs >= hangMs',
    to: '',
  },
  {
    name: 'starved-is-not-pulled',
    about: 'leaves the quotes of a starved trader to whoever hits them',
    file: 'src/guard/trader-run.ts',
    from: 'if (!isDue || this.#isStarved) return;',
    to: 'if (isDue || this.#isStarved || !isDue) return;',
  },
  {
    name: 'starved-is-silent',
    about: 'counts the time in which a trader got no processor',
    file: 'src/guard/silence.ts',
    from: 'return Math.max(0, Math.min(durationMs, now.ranMs - before.ranMs - stolenMs));',
    to: 'return durationMs;',
  },
  {
    name: 'stopped-is-starved',
    about: 'waits for a trader that is stopped as for one that is starved',
    file: 'src/guard/silence.ts',
    from: `    case 'stopped':
      return durationMs;`,
    to: `    case 'stopped':
      return 0;`,
  },
  {
    name: 'stop-has-no-end',
    about: 'ends no stop that cannot be confirmed',
    file: 'src/guard/stop-deadline.ts',
    from: 'timers.after(durationMs, onOver),',
    to: 'timers.after(durationMs, () => {}),',
  },
  {
    name: 'bad-market-is-asked-again',
    about: 'asks a strategy again at once where the trader has died in it',
    file: 'src/guard/suspects.ts',
    from: 'const PAUSE_MS_MIN = 60_000;',
    to: 'const PAUSE_MS_MIN = 0;',
  },
  {
    name: 'own-unanswered-is-a-stranger',
    about: 'leaves alone an order whose placement nobody has answered',
    file: 'src/guard/own-book.ts',
    from: 'this.#isKnown(report) || isPending(inFlight, report, beforeMs);',
    to: 'this.#isKnown(report) || (isPending(inFlight, report, beforeMs) && false);',
  },
  {
    name: 'shorter-horizon-at-once',
    about: 'forgets what was sent under a longer horizon when a shorter one is configured',
    file: 'src/guard/horizon.ts',
    from: 'this.#before.hold(this.#configuredMs, this.#untilMs(0));',
    to: '',
  },
  {
    name: 'proof-of-before',
    about: 'takes the proof of an earlier kill for one of this kill',
    file: 'src/app/in-flight-tracker.ts',
    from: 'if (latch?.confirmed !== undefined && latch.confirmed >= latchedAt) this.#isVouched = true;',
    to: 'if (latch?.confirmed !== undefined) this.#isVouched = true;',
  },
  {
    name: 'living-daemon-is-forgotten',
    about: 'calls a kill confirmed beside a daemon that has not confirmed it',
    file: 'src/app/in-flight-tracker.ts',
    from: 'if (holder.isSeen && !this.#isVouched) return holder;',
    to: '',
  },
  {
    name: 'lifted-latch-is-kept',
    about: 'calls a kill confirmed whose latch somebody has lifted',
    file: 'src/cli/errand-latch.ts',
    from: 'return this.#fault === undefined && (await readLatch(this.#options.journal)) === undefined;',
    to: 'return this.#fault === undefined && (await readLatch(this.#options.journal)) === null;',
  },
];
