import React, { useState } from 'react'

export function Dialog({ title, onClose }: Props) {
  const [open, setOpen] = useState(title)
  return (
    <Panel title={title} onClick={() => setOpen(!open)}>
      {items.map((title) => <li key={title}>{title}</li>)}
    </Panel>
  )
}
function Panel(props: Props) { return <div {...props} className="x" /> }
