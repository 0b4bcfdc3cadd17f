// The model behind the page: any step that is possible, and any question about the state in view.

/** Nothing yet. */
export class Explorer {}
