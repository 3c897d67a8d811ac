import { render } from 'preact';
import { App } from './app.tsx';
import { createWorkspace, WorkspaceContext } from './workspace.ts';

const root = document.getElementById('page');
if (root)
  render(
    <WorkspaceContext.Provider value={createWorkspace()}>
      <App />
    </WorkspaceContext.Provider>,
    root,
  );
