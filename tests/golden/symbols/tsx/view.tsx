import React, { useState } from 'react'

type Props = { title: string; onClose?: () => void }

/** A dialog. */
export const Dialog: React.FC<Props> = ({ title, onClose }) => {
  const [open, setOpen] = useState(true)
  const close = () => setOpen(false)
  return (
    <div className="dialog" onClick={() => close()}>
      {title}
    </div>
  )
}

export default function App() {
  return <Dialog title="x" onClose={() => {}} />
}

class Panel extends React.Component<Props> {
  state = { open: false }
  static defaultProps: Partial<Props> = {}
  render() {
    return <>{this.props.title}</>
  }
}

const Wrapped = React.memo(function Inner() { return null })
