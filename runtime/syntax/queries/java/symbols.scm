(package_declaration [(identifier) (scoped_identifier)] @name) @definition.namespace
(module_declaration name: (_) @name) @definition.namespace
(class_declaration name: (_) @name) @definition.class
(record_declaration name: (_) @name) @definition.class
(interface_declaration name: (_) @name) @definition.interface
(annotation_type_declaration name: (_) @name) @definition.interface
(enum_declaration name: (_) @name) @definition.enum
(enum_constant name: (_) @name) @definition.enum_member
(method_declaration name: (_) @name) @definition.method
(annotation_type_element_declaration name: (_) @name) @declaration.method
(constructor_declaration name: (_) @name) @definition.constructor
(compact_constructor_declaration name: (_) @name) @definition.constructor
(field_declaration declarator: (variable_declarator name: (identifier) @name) @declarator) @definition.variable
(constant_declaration declarator: (variable_declarator name: (identifier) @name) @declarator) @definition.variable
(record_declaration
  parameters: (formal_parameters (formal_parameter name: (identifier) @name) @definition.variable))

(superclass (_) @base)
(super_interfaces (type_list (_) @base))
(extends_interfaces (type_list (_) @base))
; An anonymous class is no symbol, nor is what it holds.
(object_creation_expression (class_body) @local)
(line_comment) @comment
(block_comment) @comment
