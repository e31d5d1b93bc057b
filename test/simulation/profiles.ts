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
  /** Frames of books are swallowed on a living socket. */
  | 'bookFramesLost'
  /** A frame comes twice. */
  | 'framesDoubled'
  /** A frame comes after the one behind it. */
  | 'framesSwapped'
  /** Books lag seconds behind, while the account's frames are on time. */
  | 'booksStale'
  /** A book read over REST is one of some seconds ago. */
  | 'readsStale'
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
  /** Somebody sets the machine's clock by up to minutes, ahead or back, and often puts it right again. */
  | 'hostClockSet'
  | 'rotateCredentials'
  | 'pauseMarket'
  | 'resolveMarket'
  /** Another tick size, which ends all that rests there, and often the one of before again. */
  | 'changeTickSize'
  | 'settlementsLate'
  | 'settlementsFail'
  | 'manualOrder'
  | 'manualTake'
  | 'crash'
  /** The process dies inside a turn: between intent, commit and request. */
  | 'crashInside'
  /** The machine loses its power behind a placement, with what its disk has not taken. */
  | 'powerCut'
  /** It dies, and what it kept is lost. */
  | 'ledgerLost'
  | 'kill'
  | 'pause'
  | 'shutdown'
  /** An operator stops it while settlements fail, and nobody starts another for minutes. */
  | 'retired'
  | 'reload'
  /** An operator splits or merges, and kills or crashes what does it a moment later. */
  | 'setsOrder'
  /** An operator stops it, and it dies before anybody resumes. */
  | 'stopAndCrash'
  /** It is stopped while the disk takes nothing, and dies before anybody makes room. */
  | 'stopUnwritten'
  /** The process dies, and nobody starts another for minutes. */
  | 'abandoned'
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
  bookFramesLost: 5,
  framesDoubled: 20,
  framesSwapped: 10,
  booksStale: 10,
  readsStale: 20,
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

const FEED: Rates = {
  bookFramesLost: 8,
  framesDoubled: 8,
  framesSwapped: 8,
  booksStale: 8,
  readsStale: 8,
  userFramesLost: 4,
  socketCut: 6,
  halfOpen: 4,
};
const OPERATOR: Rates = { kill: 20, pause: 8, shutdown: 6, reload: 10, setsOrder: 6 };
const CRASHES: Rates = { crash: 12, crashInside: 12, stopAndCrash: 6, powerCut: 3 };
const DISK: Rates = { diskFails: 6, diskSlow: 6, diskLies: 6, stopUnwritten: 5 };
const ACCOUNT: Rates = {
  manualOrder: 20,
  manualTake: 8,
  settlementsLate: 8,
  settlementsFail: 12,
  pauseMarket: 8,
  resolveMarket: 0.5,
  changeTickSize: 0.5,
  userFramesLost: 4,
};
const CLOCKS: Rates = {
  venueClockStep: 6,
  hostClockJump: 6,
  hostClockDrift: 6,
  hostClockSet: 0.5,
  rotateCredentials: 6,
};

export const PROFILES = {
  /** Nothing goes wrong but latency, news and a little of the operator. */
  calm: { news: 6, reload: 2 },
  /** The venue speaks another dialect, and decides otherwise where the interface is silent: nothing else. */
  elsewhere: { news: 6, reload: 2 },
  /** The process ends every ten minutes, by a signal or by kill -9: nothing else. */
  restarts: { news: 6, reload: 2, crash: 3, shutdown: 3 },
  /** A bad network, nothing else. */
  stormy: { ...NETWORK, duplicates: 6 },
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
    kill: 6,
    pause: 6,
    setsOrder: 4,
    abandoned: 1,
  },
  /** Somebody else trades on the account, settlements fail, markets pause. */
  account: { ...ACCOUNT, socketCut: 4, answersLost: 4, news: 12 },
  /** Clocks that are wrong, credentials that change. */
  clocks: { ...CLOCKS, hostClockSet: 2, acceptLate: 10, answersLost: 6, socketCut: 4, kill: 4 },
  /** A feed that loses, doubles, swaps and delays frames. */
  feed: { ...FEED, news: 20, framesLate: 6 },
  /** Such a venue again, where much goes wrong as well. */
  dialects: {
    ...ACCOUNT,
    ...FEED,
    answersLost: 6,
    errorsAfter: 4,
    halfBatches: 6,
    kill: 4,
    crash: 4,
    shutdown: 4,
    retired: 3,
  },
  /** An event of several outcomes beside a binary one, on a bad network, with restarts. */
  outcomes: {
    ...NETWORK,
    crash: 6,
    kill: 6,
    settlementsLate: 4,
    userFramesLost: 4,
    manualOrder: 4,
  },
  /** All of it at once. */
  everything: {
    ...NETWORK,
    ...FEED,
    ...OPERATOR,
    ...CRASHES,
    ...DISK,
    ...ACCOUNT,
    ...CLOCKS,
    duplicates: 8,
  },
} as const satisfies Readonly<Record<string, Rates>>;

/** What is listed there, and how the venue plays. */
export type Scene = {
  readonly events: 'binary' | 'outcomes';
  /** Whether the seed draws a dialect and rules. */
  readonly isVaried: boolean;
  /** Whether the books of some seeds are late for the whole of the run. */
  readonly mayBeLate: boolean;
};

export function sceneOf(profile: ProfileName): Scene {
  return {
    events: profile === 'outcomes' ? 'outcomes' : 'binary',
    isVaried: profile === 'dialects' || profile === 'elsewhere',
    mayBeLate: profile === 'feed',
  };
}

export function isProfileName(text: string): text is ProfileName {
  return Object.hasOwn(PROFILES, text);
}
