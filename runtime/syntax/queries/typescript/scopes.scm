; inherits: ecma

(abstract_class_declaration name: (_) @local.definition.type) @local.scope.class
(interface_declaration name: (_) @local.definition.type) @local.scope.class
(enum_declaration name: (_) @local.definition.type) @local.scope.class
(type_alias_declaration name: (_) @local.definition.type) @local.scope
(internal_module name: (identifier) @local.definition.namespace) @local.scope.namespace
(module name: (identifier) @local.definition.namespace) @local.scope.namespace
(function_signature name: (identifier) @local.definition.function) @local.scope.function
(method_signature name: (property_identifier) @local.definition.method) @local.scope.function
(abstract_method_signature name: (property_identifier) @local.definition.method) @local.scope.function
[(function_type) (constructor_type) (call_signature) (construct_signature)] @local.scope.function
(enum_body name: (property_identifier) @local.definition.constant)
(enum_assignment name: (property_identifier) @local.definition.constant)
(property_signature name: (property_identifier) @local.definition.field)
(public_field_definition
  name: [(property_identifier) (private_property_identifier)] @local.definition.field)
(type_parameter name: (type_identifier) @local.definition.type_parameter)

[(internal_module) (module)] @local.scope.namespace
(type_annotation) @expression
(decorator) @expression
(required_parameter value: (_) @expression)
(optional_parameter value: (_) @expression)

(nested_type_identifier module: (_) @receiver name: (type_identifier) @member)
(property_identifier) @member
(private_property_identifier) @member
(type_identifier) @type
