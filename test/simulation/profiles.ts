// How rough the world is: how often each kind of trouble comes, per simulated hour.

/** Trouble that lasts a while. */
export type EpisodeKind =
  /** Requests and answers take long. */
  | 'slow'
  /** No connection can be opened: nothing leaves. */
  | 'connectFails'
  | 'requestsLost'
  /** The request takes effect, its answer never comes. */
  | 'answersLost'
  /** The request takes effect up to 40 s after it was sent. */
  | 'acceptLate'
  /** The network delivers a request twice. */
  | 'duplicates'
  | 'rateLimited'
  | 'errorsBefore'
  | 'errorsAfter'
  | 'garbage'
  /** Batch answers lack items. */
  | 'halfBatches'
  /** Nothing passes in either direction, sockets included, and nobody is told. */
  | 'blackout'
  /** The socket looks alive and carries nothing. */
  | 'halfOpen'
  | 'framesLate'
  /** Frames of the account are swallowed on a living socket. */
  | 'userFramesLost'
  /** The machine is busy: ticks and messages wait. */
  | 'busyHost'
  /** The ledger cannot be written. */
  | 'diskFails'
  /** A commit takes long, and the process stands still meanwhile. */
  | 'diskSlow'
  /** A commit is written and called failed. */
  | 'diskLies';

/** Trouble that happens at once. */
export type EventKind =
  | 'socketCut'
  | 'venueClockStep'
  | 'hostClockJump'
  | 'hostClockDrift'
  | 'rotateCredentials'
  | 'pauseMarket'
  | 'resolveMarket'
  | 'settlementsLate'
  | 'settlementsFail'
  | 'manualOrder'
  | 'manualTake'
  | 'crash'
  /** The process dies inside a turn: between intent, commit and request. */
  | 'crashInside'
  /** It dies, and what it kept is lost. */
  | 'ledgerLost'
  | 'kill'
  | 'pause'
  | 'shutdown'
  | 'reload'
  | 'news';

export type TroubleKind = EpisodeKind | EventKind;

export type Rates = Readonly<Partial<Record<TroubleKind, number>>>;

export type ProfileName = keyof typeof PROFILES;

/** Mean length of an episode in seconds. */
export const EPISODE_SEC: Readonly<Record<EpisodeKind, number>> = {
  slow: 15,
  connectFails: 5,
  requestsLost: 8,
  answersLost: 8,
  acceptLate: 10,
  duplicates: 10,
  rateLimited: 5,
  errorsBefore: 6,
  errorsAfter: 6,
  garbage: 5,
  halfBatches: 8,
  blackout: 8,
  halfOpen: 12,
  framesLate: 10,
  userFramesLost: 5,
  busyHost: 2,
  diskFails: 8,
  diskSlow: 15,
  diskLies: 5,
};

const NETWORK: Rates = {
  slow: 10,
  connectFails: 6,
  requestsLost: 12,
  answersLost: 12,
  acceptLate: 12,
  rateLimited: 6,
  errorsBefore: 6,
  errorsAfter: 8,
  garbage: 5,
  halfBatches: 8,
  blackout: 6,
  halfOpen: 4,
  framesLate: 6,
  socketCut: 12,
  busyHost: 10,
  news: 12,
};

const OPERATOR: Rates = { kill: 20, pause: 8, shutdown: 6, reload: 10 };
const CRASHES: Rates = { crash: 12, crashInside: 12 };
const DISK: Rates = { diskFails: 6, diskSlow: 6, diskLies: 6 };
const ACCOUNT: Rates = {
  manualOrder: 20,
  manualTake: 8,
  settlementsLate: 8,
  settlementsFail: 12,
  pauseMarket: 8,
  resolveMarket: 0.5,
  userFramesLost: 4,
};
const CLOCKS: Rates = {
  venueClockStep: 6,
  hostClockJump: 6,
  hostClockDrift: 6,
  rotateCredentials: 6,
};

export const PROFILES = {
  /** Nothing goes wrong but latency, news and a little of the operator. */
  calm: { news: 6, reload: 2 },
  /** A bad network, nothing else. */
  stormy: NETWORK,
  /** An operator who kills, pauses and resumes on a bad network. */
  killer: { ...NETWORK, ...OPERATOR, kill: 60, acceptLate: 60, answersLost: 30 },
  /** A process that dies again and again, with requests under way and a disk that is not sound. */
  crashy: {
    ...CRASHES,
    ...DISK,
    ledgerLost: 1,
    answersLost: 10,
    acceptLate: 20,
    slow: 10,
    socketCut: 6,
    kill: 4,
  },
  /** Somebody else trades on the account, settlements fail, markets pause. */
  account: { ...ACCOUNT, socketCut: 4, answersLost: 4, news: 12 },
  /** Clocks that are wrong, credentials that change. */
  clocks: { ...CLOCKS, acceptLate: 10, answersLost: 6, socketCut: 4, kill: 4 },
  /** All of it at once. */
  everything: {
    ...NETWORK,
    ...OPERATOR,
    ...CRASHES,
    ...DISK,
    ...ACCOUNT,
    ...CLOCKS,
    duplicates: 8,
  },
} as const satisfies Readonly<Record<string, Rates>>;

export function isProfileName(text: string): text is ProfileName {
  return Object.hasOwn(PROFILES, text);
}
