/**
 * The names of the tools that a model may call in a run or, from `open` on, only in the browser of a session.
 */
export type ToolName =
  | 'search'
  | 'map'
  | 'scrape'
  | 'read'
  | 'answer'
  | 'open'
  | 'click'
  | 'type'
  | 'scroll'
  | 'wait'
  | 'extract';
